import { rmSync } from 'node:fs';
import { figureOf, type Measurement } from './figure.js';
import { folder, isFolderOurs } from './options.js';

/** Prints progress to standard error, because standard output contains only the figures. */
export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

/** Prints the figures as one line on standard output, removes temporary data, and ends the process. */
export function tell(measurements: readonly Measurement[]): void {
  process.stdout.write(`${JSON.stringify({ figures: measurements.map(figureOf) })}\n`);
  if (isFolderOurs) rmSync(folder, { recursive: true, force: true });
}
