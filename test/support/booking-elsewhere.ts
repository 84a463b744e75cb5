import { catalogue } from '../../src/app/catalogue.js';
import { CustomerCodes, CustomerCreation } from '../../src/commands/customer.commands.js';
import { BookingFacts } from '../../src/policies/booking-facts.js';
import { BookingPlans } from '../../src/policies/booking-plan.js';
import { BookingPolicy } from '../../src/policies/booking.policy.js';
import { HealingPolicy } from '../../src/policies/healing.policy.js';
import { CustomerMatching } from '../../src/policies/customer-matching.js';
import { SaleFactsReader } from '../../src/policies/sale-facts.js';
import type { EventStore } from '../../src/ports/event-store.js';
import { Categorizer } from '../../src/queries/category.queries.js';
import { WaitingSales } from '../../src/queries/dead-letter.queries.js';
import { replicaOn } from './elsewhere.js';
import type { TestService } from './service.js';

/**
 * Creates another replica's policies that book sales. They use the same stores but share no memory with the service.
 */
export function bookingElsewhere({ service }: TestService, events: EventStore) {
  const { app, engines } = service;
  const { clock, ids } = engines;
  const { reader, claims, runner } = replicaOn({ events, clock, ids });
  const categorizer = app.get(Categorizer);
  const creation = new CustomerCreation(runner, reader, new CustomerCodes(runner, ids), categorizer);
  const matching = new CustomerMatching(runner, reader, claims, creation);
  const facts = new BookingFacts(reader, new SaleFactsReader(reader, claims), categorizer, matching, claims);
  const booking = new BookingPolicy(runner, reader, facts, new BookingPlans(reader, facts), clock);
  const healing = new HealingPolicy(runner, reader, events, catalogue, app.get(WaitingSales), booking);
  return { booking, healing };
}
