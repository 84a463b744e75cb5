// Error messages of the service, extracted from the syntax trees of its source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');
/** Functions whose last text argument is an error message. */
const REFUSALS = new Set(['conflict', 'forbidden', 'DomainError']);

/** A message without the names of its values, such as `The total is {}.` */
export const nameless = (message: string): string => message.replaceAll(/\{\w*\}/g, '{}');

/** Text of a literal, of a template, or of a concatenation of these. Undefined for any other expression. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Whether a node is the message of a rejection or of an invalid field. */
function isMessage(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return parent.name.getText() === 'message' && parent.initializer === node;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && REFUSALS.has(parent.expression.getText());
}

/** All texts of the service, and the error messages in the given folders. */
export function serviceMessages(...folders: readonly string[]): {
  readonly texts: ReadonlySet<string>;
  readonly messages: readonly string[];
} {
  const texts = new Set<string>();
  const messages = new Set<string>();
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const source = ts.createSourceFile(file, readFileSync(join(SOURCE, file), 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const found = textOf(node);
      const text = found === undefined ? undefined : nameless(found);
      if (text === undefined) {
        ts.forEachChild(node, visit);
        return;
      }
      texts.add(text);
      if (/ .*\.$/.test(text) && isMessage(node) && folders.some((folder) => file.startsWith(folder)))
        messages.add(text);
    };
    visit(source);
  }
  return { texts, messages: [...messages].sort() };
}
