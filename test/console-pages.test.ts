import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { NOWHERE, PAGES } from './support/console-walk.js';

const SOURCE = join(import.meta.dirname, '..', 'console', 'src');

/** Paths that a file passes to `createRoute`. */
function pathsIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const paths: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'path' && ts.isStringLiteral(node.initializer))
      paths.push(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return paths;
}

test('The walk through the console visits every route of its router, and no other', () => {
  const routes = readdirSync(join(SOURCE, 'routes')).map((name) => join(SOURCE, 'routes', name));
  const paths = [NOWHERE, ...[join(SOURCE, 'router.tsx'), ...routes].flatMap(pathsIn)];
  expect([...new Set(PAGES.map(({ route }) => route))].sort()).toEqual(paths.sort());
});

test('The walk visits every report', () => {
  const source = readFileSync(join(SOURCE, 'parts', 'report-words.ts'), 'utf8');
  const names = [...source.matchAll(/^ {2}\['([a-z-]+)', t\(/gm)].map(([, name]) => name ?? '');
  const visited = PAGES.map(({ at }) => /^\/reports\/([a-z-]+)/.exec(at ?? '')?.[1]).filter(
    (name) => name !== undefined,
  );
  expect(names.length).toBeGreaterThan(0);
  expect(visited.sort()).toEqual(names.sort());
});
