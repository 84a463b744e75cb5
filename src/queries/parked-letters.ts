import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterOrigin } from '../aggregates/dead-letter.aggregate.js';
import { ReadModels } from './query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters } from '../projections/dead-letter.projection.js';

/** Number of letters waiting for an operator, as far as the read model knows. */
@Injectable()
export class ParkedLetters {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  count(origin: DeadLetterOrigin): Promise<number> {
    return this.models.count(deadLetters, PLATFORM, { where: { origin, status: 'PARKED' } });
  }
}
