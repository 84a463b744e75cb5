import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterOrigin } from '../aggregates/dead-letter.aggregate.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters } from '../projections/dead-letter.projection.js';

/** How many letters wait for an operator, as far as it is known. */
@Injectable()
export class ParkedLetters {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  count(origin: DeadLetterOrigin): Promise<number> {
    return this.models.count(deadLetters, PLATFORM, { where: { origin, status: 'PARKED' } });
  }
}
