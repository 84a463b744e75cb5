import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterOrigin } from '../aggregates/dead-letter.aggregate.js';
import { ReadModels } from '../platform/query.js';
import { PLATFORM } from '../ports/read-store.js';
import { deadLetters } from '../projections/dead-letter.projection.js';

/** How many letters wait for an operator, as far as it is known. */
@Injectable()
export class ParkedLetters {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async count(origin: DeadLetterOrigin): Promise<number> {
    const request = { pageNumber: 1, pageSize: 0, where: { origin, status: 'PARKED' } };
    return (await this.models.list(deadLetters, PLATFORM, request)).totalCount;
  }
}
