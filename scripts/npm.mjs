// Runs npm for scripts that read its output.
import { spawnSync } from 'node:child_process';

/**
 * Runs the same npm that runs this script or, if there is none, the npm on the path. Never fails because of npm's exit
 * code.
 */
export function npm(folder, ...args) {
  const running = process.env.npm_execpath;
  const isScript = running !== undefined && /\.[cm]?js$/.test(running);
  const [command, first] = isScript ? [process.execPath, [running]] : ['npm', []];
  const { error, status, stdout, stderr } = spawnSync(command, [...first, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    shell: !isScript && process.platform === 'win32',
  });
  if (error) throw error;
  return { status, stdout, stderr };
}
