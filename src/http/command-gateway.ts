import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import type { Receipt } from '../platform/command.js';
import { readModelBehind } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { answer, type Answer, type AnswerOptions } from './answer.js';
import { SETTINGS, type HttpSettings } from './settings.js';

/** How long a GET with X-Min-Position waits for the read models before it answers 503, milliseconds. */
const MIN_POSITION_WAIT_MS = 5_000;

/** Sends commands and, before it answers, waits until the read models show what they did. */
@Injectable()
export class CommandGateway {
  constructor(
    @Inject(CommandBus) private readonly bus: CommandBus,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** Carries a command out; answers with its CommandResponseDto. */
  async send(command: Command<Receipt>): Promise<Answer> {
    const { id, revision, position } = await this.bus.execute(command);
    return answer({ success: true, id, revision }, await this.settled(position));
  }

  /** The headers of a command's answer, when the read models have the position or the wait is over. */
  async settled(position: number): Promise<AnswerOptions> {
    const reached = await this.progress.reached(position, this.settings.readWaitMs);
    // Of a stream without an event: any GET takes 0, and waits for nothing that is not there.
    return { position: Math.max(0, position), ...(!reached && { behind: true }) };
  }

  /** For reads: resolves when the read models have the position. @throws DomainError unavailable READ_MODEL_BEHIND */
  async waitForPosition(position: number): Promise<void> {
    if (await this.progress.reached(position, MIN_POSITION_WAIT_MS)) return;
    throw readModelBehind();
  }
}
