// The console's user-visible strings, extracted from the syntax trees of its source.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';

const SOURCE = join(import.meta.dirname, '..', '..', 'console', 'src');
/**
 * Contains one catalogue for each language other than English. `en.json` contains only the names of permissions, and the
 * service's messages that the console rewrites, such as those with API names or dates.
 */
export const MESSAGES = join(SOURCE, 'messages');
const LOOKUPS = new Set(['t', 'rich']);
/** Attributes and properties whose values a user reads or hears. */
const VISIBLE = new Set(
  'label title placeholder aria-label heading hint lead empty send what alt about header step words caption'.split(' '),
);
/** Whether a string contains a word. Codes, units and abbreviations are the same in every language. */
const hasWords = (text: string): boolean => /[a-z]{3,}|^[A-Z][a-z]$/.test(text);

export type Found = { readonly file: string; readonly line: number; readonly text: string };
type Texts = {
  readonly used: readonly (Found & { readonly values: readonly string[] })[];
  readonly bare: readonly Found[];
};

const literal = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;

const namesOf = (elements: readonly MessageFormatElement[]): string[] =>
  elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    if (element.type === TYPE.tag) return [element.value, ...namesOf(element.children)];
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return [element.value];
    return [element.value, ...Object.values(element.options).flatMap(({ value }) => namesOf(value))];
  });

/** Returns the names of the values and elements used in a message. */
export const namesInMessage = (text: string): string[] => (/[{<]/.test(text) ? [...new Set(namesOf(parse(text)))] : []);

/** Returns the names of the values that a call passes. */
const valuesIn = (node: ts.Expression | undefined): string[] =>
  node !== undefined && ts.isObjectLiteralExpression(node)
    ? node.properties.map((property) => property.name?.getText() ?? '')
    : [];

/** Returns the literals to which an expression may evaluate. */
function outcomes(node: ts.Node): string[] {
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node))
    return node.expression === undefined ? [] : outcomes(node.expression);
  if (ts.isConditionalExpression(node)) return [...outcomes(node.whenTrue), ...outcomes(node.whenFalse)];
  if (ts.isBinaryExpression(node))
    return node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken ||
      node.operatorToken.kind === ts.SyntaxKind.BarBarToken ||
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
      ? [...outcomes(node.left), ...outcomes(node.right)]
      : [];
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)];
  return [literal(node) ?? ''];
}

/**
 * Names that are the same in every language: products, an event type used as an example, and an authentication scheme.
 */
const NAMES = new Set(
  'Kontor SaleAccepted Node Edge Opera Firefox Firefox/ Chrome Chrome/ Safari Safari/ Windows Android Linux'.split(' '),
).add('Bearer …');

/** Whether a string is a sentence or a capitalized word. */
const isProse = (text: string): boolean =>
  /^[A-Z][a-z]+(?![A-Za-z])/.test(text) || /[a-z,.]{2} [a-z]{2}| [a-z]{2,} /i.test(text);

/**
 * Whether a literal is never visible to users, such as a module, type, property name, comparison, internal error, or
 * class name.
 */
function isInternal(node: ts.Node): boolean {
  const { parent } = node;
  if ('name' in parent && parent.name === node) return true;
  if (ts.isTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isElementAccessExpression(parent)) return true;
  if (ts.isNewExpression(parent)) return /Error$/.test(parent.expression.getText());
  if (ts.isJsxAttribute(parent)) return !VISIBLE.has(parent.name.getText());
  if (ts.isBinaryExpression(parent)) return /^[!=]==$/.test(parent.operatorToken.getText());
  return ts.isCallExpression(parent) && (LOOKUPS.has(parent.expression.getText()) || INTERNAL.test(parent.getText()));
}

/** Matches calls whose literal arguments are identifiers in the code. */
const INTERNAL =
  /^(?:oneOf|getRouteApi|lazyRouteComponent|api\.|[\w.()]+\.(?:matches|includes|closest|querySelector|set|get)(?:<\w+>)?\()/;

/** Returns the strings in a node that users see but that the source does not look up in the catalogue. */
function bareIn(node: ts.Node): string[] {
  if (ts.isJsxText(node)) return [node.text.trim()];
  if (ts.isJsxExpression(node) && (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent)))
    return outcomes(node);
  if (ts.isJsxAttribute(node) && VISIBLE.has(node.name.getText()))
    return node.initializer === undefined ? [] : outcomes(node.initializer);
  if (ts.isPropertyAssignment(node) && VISIBLE.has(node.name.getText())) return outcomes(node.initializer);
  const text = ts.isTemplateExpression(node) ? outcomes(node).join('…') : literal(node);
  return text !== undefined && isProse(text) && !isInternal(node) ? [text] : [];
}

function read(file: string, texts: { used: (Found & { values: readonly string[] })[]; bare: Found[] }): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const at = (node: ts.Node, text: string): Found => ({
    file: relative(SOURCE, file),
    line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    text,
  });
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && LOOKUPS.has(node.expression.getText())) {
      const [first, values] = node.arguments;
      for (const text of first === undefined ? [''] : outcomes(first))
        if (text === '') texts.bare.push(at(node, 'The first argument is not a literal.'));
        else texts.used.push({ ...at(node, text), values: valuesIn(values) });
      if (values !== undefined) visit(values);
      return;
    }
    texts.bare.push(
      ...bareIn(node)
        .filter((text) => hasWords(text) && !NAMES.has(text))
        .map((text) => at(node, text)),
    );
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Returns the console's source files, except the catalogues and the font names. */
export const consoleSources = (): string[] =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('messages') && name !== 'theme.ts')
    .sort();

/** Returns the strings that the source looks up in the catalogue, and those that it displays without a look-up. */
export function textsOf(files: readonly string[]): Texts {
  const texts = { used: [], bare: [] };
  for (const file of files) read(join(SOURCE, file), texts);
  return texts;
}
