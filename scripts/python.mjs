// Python programs used by suites, in a virtual environment. Uses only Node's own modules.
import { join } from 'node:path';
import { run } from './checkout.mjs';

const succeeds = (program, ...args) =>
  run(program, args).then(
    (code) => code === 0,
    () => false,
  );

/** Folder that contains the programs of a virtual environment. */
export const binOf = (environment) => join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');

/**
 * Creates a virtual environment with the given packages. Returns the folder of its programs, or undefined on failure.
 */
export async function pythonWith(environment, ...packages) {
  const bin = binOf(environment);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
  const isHere =
    (await succeeds('python3', '-m', 'venv', environment)) && (await succeeds(join(bin, 'python'), ...pip));
  return isHere ? bin : undefined;
}
