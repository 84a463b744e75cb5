// The service's error messages, extracted from the syntax trees of its source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');
/** Functions that have an error message as an argument. */
const REFUSALS = new Set(['conflict', 'forbidden', 'DomainError', 'NotYetBookable', 'branchUnknown', 'accountUnknown']);
/** Properties whose value is an error message. A zod check calls its message `error`. */
const MEMBERS = new Set(['message', 'error']);

/** Folder with the examples in the API document. No response contains them. */
const EXAMPLES = join('http', 'examples');

function* sources(): Generator<{ readonly file: string; readonly source: ts.SourceFile }> {
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))
    yield {
      file,
      source: ts.createSourceFile(file, readFileSync(join(SOURCE, file), 'utf8'), ts.ScriptTarget.Latest, true),
    };
}

/** Returns a message without the names of its values, such as `The total is {}.` */
export const nameless = (message: string): string => message.replaceAll(/\{\w*\}/g, '{}');

/**
 * Returns the text of a literal, a template, or a concatenation of these. Returns undefined for any other expression.
 */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Whether a node is the error message for a rejection or for an invalid field. */
function isMessage(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return MEMBERS.has(parent.name.getText()) && parent.initializer === node;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && REFUSALS.has(parent.expression.getText());
}

/** Whether a node is an error message that follows its code: `['NOT_FOUND', 'The address does not exist.']`. */
const followsCode = ({ parent }: ts.Node): boolean =>
  ts.isArrayLiteralExpression(parent) && /^'[A-Z_]+'$/.test(parent.elements[0]?.getText() ?? '');

/** Returns all strings in the service's source, and the error messages in the given folders. */
export function serviceMessages(...folders: readonly string[]): {
  readonly texts: ReadonlySet<string>;
  readonly messages: readonly string[];
} {
  const texts = new Set<string>();
  const messages = new Set<string>();
  for (const { file, source } of sources()) {
    const visit = (node: ts.Node): void => {
      const found = textOf(node);
      const text = found === undefined ? undefined : nameless(found);
      if (text === undefined) {
        ts.forEachChild(node, visit);
        return;
      }
      texts.add(text);
      if (/ .*\.$/.test(text) && (isMessage(node) || followsCode(node)) && folders.some((one) => file.startsWith(one)))
        if (!file.startsWith(EXAMPLES)) messages.add(text);
    };
    visit(source);
  }
  return { texts, messages: [...messages].sort() };
}

/** Files whose strings are job results, failure reasons or notifications. */
const REPORTS = [
  /^jobs\/[\w-]+\.job\.ts$/,
  /^jobs\/job-runner\.ts$/,
  /^integrity\/(tree-verification|checkpoint-reading)\.ts$/,
  /^backup\/backup-(archive|writer)\.ts$/,
  /^policies\/(notification\.policy|rejected-sales|category-learning\.policy)\.ts$/,
  /^app\/readiness\.ts$/,
  /^http\/error-observer\.ts$/,
  /^projecting\/(projection-rebuilds|projection-verifier|projector)\.ts$/,
  /^ports\/[\w-]+\.ts$/,
];
/** Matches log lines that appear in the error log although they are not warnings. */
const RECOVERY = /\bis back\b/;
/** Functions that log one of their arguments. */
const LOGGING = new Set(['retry', 'orWarn']);

/** Returns the initializer of a constant that is in scope at the node. */
function constantAt(node: ts.Identifier): ts.Expression | undefined {
  for (let place: ts.Node = node.parent; ; place = place.parent) {
    if (!ts.isBlock(place) && !ts.isSourceFile(place)) continue;
    for (const statement of place.statements.filter(ts.isVariableStatement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (name.getText() === node.text) return initializer;
    if (ts.isSourceFile(place)) return undefined;
  }
}

/**
 * Returns all strings to which an expression may evaluate, with `{}` for values. Empty if the expression is not a
 * string.
 */
function variantsOf(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isIdentifier(node)) return variantsOf(constantAt(node));
  if (ts.isParenthesizedExpression(node)) return variantsOf(node.expression);
  if (ts.isConditionalExpression(node)) return alternatives(variantsOf(node.whenTrue), variantsOf(node.whenFalse));
  if (ts.isTemplateExpression(node)) return variantsOfTemplate(node);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return [];
  return joined(variantsOf(node.left), variantsOf(node.right));
}

const alternatives = (one: readonly string[], other: readonly string[]): string[] =>
  one.length + other.length === 0 ? [] : [one, other].flatMap((texts) => (texts.length > 0 ? texts : ['{}']));

const joined = (heads: readonly string[], tails: readonly string[]): string[] =>
  heads.flatMap((head) => tails.map((tail) => `${head}${tail}`));

function variantsOfTemplate({ head, templateSpans }: ts.TemplateExpression): string[] {
  let variants = [head.text];
  for (const { expression, literal } of templateSpans) {
    const values = variantsOf(expression);
    variants = joined(joined(variants, values.length > 0 ? values : ['{}']), [literal.text]);
  }
  return variants;
}

/** Returns the messages of a log line that appears in the error log. */
function loggedBy(node: ts.Node): string[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  if (LOGGING.has(name.text)) return node.arguments.flatMap(variantsOf);
  if (!/logger$/i.test(expression.getText())) return [];
  const texts = variantsOf(node.arguments[1]);
  if (name.text === 'info') return texts.filter((each) => RECOVERY.test(each));
  return name.text === 'warn' || name.text === 'error' ? texts : [];
}

/** Splits a text into sentences, because the console translates each sentence separately. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=\.) |(?<=\.)(?=\{\})|(?<=^\{\}) (?=[A-Z])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.includes(' ') && /[a-z]{4}/.test(sentence));

/** Whether a node contains no text for readers of notifications or the error log. */
const isOmitted = (node: ts.Node): boolean =>
  ts.isImportDeclaration(node) ||
  (ts.isPropertyAssignment(node) && ['description', 'link'].includes(node.name.getText())) ||
  (ts.isCallExpression(node) && /logger\.info$/i.test(node.expression.getText()));

/** Returns the sentences in job results, in notifications, and in log lines that appear in the error log. */
export function reportedSentences(): string[] {
  const found = new Set<string>();
  for (const { file, source } of sources()) {
    const isReport = REPORTS.some((each) => each.test(file.replaceAll('\\', '/')));
    const visit = (node: ts.Node): void => {
      const own = isReport && !ts.isIdentifier(node) ? variantsOf(node).filter((text) => !/^[\s,;]/.test(text)) : [];
      for (const sentence of [...own, ...loggedBy(node)].flatMap(sentencesOf)) found.add(sentence);
      if (!isReport || (own.length === 0 && !isOmitted(node))) ts.forEachChild(node, visit);
    };
    ts.forEachChild(source, visit);
  }
  return [...found].sort();
}
