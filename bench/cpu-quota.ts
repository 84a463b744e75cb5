import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';
const PERIOD_US = 20_000;

/**
 * Limits processes to a share of a core, using a separate cgroup (version 1 or 2). Requires root.
 * @throws Error if cgroups cannot be created
 */
export class CpuQuota {
  private constructor(private readonly directory: string) {}

  static of(name: string, pid: number, percent: number): CpuQuota {
    const isV1 = existsSync(join(V1, 'cpu.cfs_quota_us'));
    const directory = join(isV1 ? V1 : V2, name);
    mkdirSync(directory, { recursive: true });
    const quotaUs = Math.round((PERIOD_US * percent) / 100);
    if (isV1) {
      writeFileSync(join(directory, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quotaUs));
    } else writeFileSync(join(directory, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    writeFileSync(join(directory, 'cgroup.procs'), String(pid));
    return new CpuQuota(directory);
  }

  /** Must be called after the process has ended. */
  remove(): void {
    rmdirSync(this.directory);
  }
}
