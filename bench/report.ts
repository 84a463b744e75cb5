import { rmSync } from 'node:fs';
import { figureOf, type Measurement } from './figure.js';
import { folder, isFolderOurs } from './options.js';

/** Progress, for whoever watches: the figures alone are on standard output. */
export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

/** Ends a figure's process: its figures on one line of standard output, and nothing left behind. */
export function tell(measurements: readonly Measurement[]): void {
  process.stdout.write(`${JSON.stringify({ figures: measurements.map(figureOf) })}\n`);
  if (isFolderOurs) rmSync(folder, { recursive: true, force: true });
}
