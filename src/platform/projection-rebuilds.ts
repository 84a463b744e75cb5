import type { EventReader } from '../ports/event-store.js';
import type { AnyTable } from '../ports/read-store.js';
import type { EventCatalogue, Recorded } from './event-catalogue.js';
import {
  projectionAggregate,
  type ProjectionControl,
  type ProjectionEvent,
  type Rebuild,
} from './projection-control.js';
import { fillTogether, type Filling } from './projection-filling.js';
import type { ProjectionQuarantine } from './projection-quarantine.js';
import { ProjectionSwap, retire, type RebuildHost, type SwapParts } from './projection-swap.js';
import { Projector } from './projector.js';
import { eventsOf } from './stream-events.js';
import { PLATFORM_TENANT, streamName } from './stream-name.js';

type Parts = SwapParts & { readonly events: EventReader; readonly catalogue: EventCatalogue };

const TRY_AGAIN_MS = 1_000;
/** Waits until nothing more is asked for: the history is read once for all of it. */
const GATHER_MS = 250;
const MAX_GATHERINGS = 20;

type Job = { readonly name: string; readonly rebuild: Rebuild; readonly abort: AbortController };
/** A rebuild whose new generation is being filled, and how far that one was before. */
type Begun = Filling & {
  readonly job: Job;
  readonly live: Projector;
  /** Of its cancellation, and of the end of the process. */
  readonly signal: AbortSignal;
};

/**
 * Builds new generations of projections beside the live ones. Those that are asked for together are filled in one reading
 * of the history; then each is fed with its live one until both have the same, compared, and swapped. Whoever reads sees
 * the old documents until then, and the new ones from then on. A rebuild outlives the process: the next leader goes on
 * where its checkpoint is.
 */
export class ProjectionRebuilds {
  private readonly jobs = new Map<string, Job>();
  private readonly waiting: Job[] = [];
  private readonly swap: ProjectionSwap;
  private running: Promise<void> | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly host: RebuildHost,
    private readonly quarantine: ProjectionQuarantine,
    private readonly stopping: AbortSignal,
  ) {
    this.swap = new ProjectionSwap(parts, host, stopping);
  }

  /** Takes up what was asked for before, and removes generations that were left behind. */
  start(projectors: readonly Projector[]): void {
    this.swap.later(async () => {
      for (const { name } of projectors) {
        const { rebuild } = await this.controlOf(name);
        if (rebuild) this.enqueue(name, rebuild);
      }
    });
    this.swap.dropOld(projectors);
  }

  /** Hears what operators ask. */
  react(event: Recorded): void {
    if (event.entity !== projectionAggregate.name) return;
    const { type, data } = event as unknown as ProjectionEvent;
    if (type === 'ProjectionRebuildRequested') {
      const { rebuildId: id, version, requestedAt } = data;
      this.enqueue(event.recordId, { id, version, requestedAt, generation: null, compared: null });
    }
    if (type === 'ProjectionRebuildCancelled') this.jobs.get(data.rebuildId)?.abort.abort();
  }

  async stop(): Promise<void> {
    await this.running;
    await this.swap.settled();
  }

  private enqueue(name: string, rebuild: Rebuild): void {
    if (this.jobs.has(rebuild.id) || this.stopping.aborted) return;
    // A replica with another version of the model has a leader of its own.
    if (this.host.liveOf(name)?.target.table.model.version !== rebuild.version) return;
    const job = { name, rebuild, abort: new AbortController() };
    this.jobs.set(rebuild.id, job);
    this.waiting.push(job);
    this.running ??= this.work().finally(() => (this.running = undefined));
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0 && !this.stopping.aborted) {
      await this.gather();
      await this.keep(this.waiting.splice(0));
    }
  }

  private async gather(): Promise<void> {
    let known = 0;
    for (let times = 0; times < MAX_GATHERINGS && this.waiting.length > known; times += 1) {
      known = this.waiting.length;
      await this.parts.clock.sleep(GATHER_MS, this.stopping);
    }
  }

  /** Does them, again and again where an engine is away, until each is done, refused or cancelled. */
  private async keep(jobs: readonly Job[]): Promise<void> {
    const isOpen = ({ rebuild }: Job): boolean => this.jobs.has(rebuild.id);
    for (let left = jobs; left.length > 0 && !this.stopping.aborted; left = left.filter(isOpen))
      try {
        await this.build(left);
      } catch (error) {
        this.parts.logger.warn({ err: error, projections: left.map(({ name }) => name) }, 'rebuilds are tried again');
        await this.parts.clock.sleep(TRY_AGAIN_MS, this.stopping);
      }
  }

  private async build(jobs: readonly Job[]): Promise<void> {
    const begun: Begun[] = [];
    const storeBatch: RebuildHost['storeBatch'] = (projectors, batch) => this.host.storeBatch(projectors, batch);
    try {
      for (const job of jobs) {
        const one = await this.begin(job);
        if (one) begun.push(one);
        else this.jobs.delete(job.rebuild.id);
      }
      const filled = await fillTogether({ ...this.parts, storeBatch }, begun, this.stopping);
      for (const one of begun) await this.complete(one, filled);
    } finally {
      for (const { live, projector } of begun)
        if (this.host.liveOf(live.name) !== projector) await retire(this.host, projector);
    }
  }

  /** Undefined where it is over by now. */
  private async begin(job: Job): Promise<Begun | undefined> {
    const { store, logger, report } = this.parts;
    const { name, rebuild, abort } = job;
    const live = this.host.liveOf(name);
    if (!live) return undefined;
    const control = await this.controlOf(name);
    if (control.rebuild?.id !== rebuild.id) return undefined;
    if (control.rebuild.generation === live.target.table.generation) {
      // It was made live, and whoever did that could not tell any more.
      await report(name, rebuild.id, { kind: 'done', generation: control.rebuild.generation });
      return undefined;
    }
    const generation = control.rebuild.generation ?? Math.max(live.target.table.generation, control.lastGeneration) + 1;
    if (!(await report(name, rebuild.id, { kind: 'began', generation }))) return undefined;
    const table: AnyTable = { model: live.target.table.model, generation };
    logger.info({ projection: name, generation }, 'a rebuild begins');
    await store.prepare([table], { bulk: true });
    const projector = new Projector(store, { projection: live.projection, table }, true);
    const position = await store.checkpoint(projector.checkpointKey);
    await this.quarantine.open(projector, position);
    const signal = AbortSignal.any([this.stopping, abort.signal]);
    const goesOn = (): boolean => !signal.aborted && projector.halted === undefined;
    return { job, live, projector, position, signal, goesOn };
  }

  private async complete(one: Begun, filled: number): Promise<void> {
    if (await this.bringLive(one, filled)) this.jobs.delete(one.job.rebuild.id);
    else await this.giveUp(one);
  }

  /** False where it does not come so far. */
  private async bringLive(one: Begun, filled: number): Promise<boolean> {
    const { live, projector, job, signal } = one;
    if (!one.goesOn()) return false;
    await this.parts.store.index(projector.target.table);
    // From the position that this answers on it is fed with the others.
    const joinedAt = await this.host.catchUp(projector, filled, signal);
    return joinedAt !== undefined && this.swap.finish(live, projector, job.rebuild.id, joinedAt, signal);
  }

  /** Refused or cancelled. One that the end of the process interrupts stays, for the next leader. */
  private async giveUp({ job, projector }: Begun): Promise<void> {
    const { logger, report } = this.parts;
    const { name, rebuild, abort } = job;
    await retire(this.host, projector);
    if (projector.halted) {
      const { eventId, stream } = projector.halted;
      const reason = `The event ${eventId} of ${stream} cannot be folded.`;
      await report(name, rebuild.id, { kind: 'failed', reason });
    } else if (!abort.signal.aborted) return;
    this.jobs.delete(rebuild.id);
    this.swap.giveUp(projector.target.table);
    logger.info({ projection: name, generation: projector.target.table.generation }, 'the rebuild is given up');
  }

  private async controlOf(name: string): Promise<ProjectionControl> {
    const { events, catalogue } = this.parts;
    const stream = streamName(projectionAggregate.name, PLATFORM_TENANT, name);
    let state = projectionAggregate.initial;
    for await (const event of eventsOf(events, stream))
      state = projectionAggregate.evolve(state, catalogue.decode(event) as unknown as ProjectionEvent, event.revision);
    return state;
  }
}
