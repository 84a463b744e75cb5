/**
 * Returns the CPU time that this process has used, in milliseconds. Unlike elapsed time, it excludes other programs.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
