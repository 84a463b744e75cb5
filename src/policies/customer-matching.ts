import { Inject, Injectable } from '@nestjs/common';
import { account } from '../aggregates/account.aggregate.js';
import { accountCodeClaim, customerCodeClaim } from '../aggregates/code-claims.js';
import type { CreateCustomer } from '../aggregates/customer-fields.js';
import { emailClaims, linkClaim, taxNumberClaims } from '../aggregates/customer-keys.js';
import { customer, linkCustomer } from '../aggregates/customer.aggregate.js';
import type { SaleCustomer } from '../aggregates/sale-events.js';
import { type AcceptedSale, chooseCustomer, sale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { CustomerCreation } from '../commands/customer.commands.js';
import type { Claim } from '../eventsourcing/aggregate.js';
import { Claims } from '../eventsourcing/claims.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { RecordReader, type Freshness } from '../eventsourcing/record-reader.js';
import { parseStreamName, PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { lookupIn, type Lookup } from './sale-facts.js';

const MAX_ROUNDS = 5;
const OVERTAKEN: readonly string[] = ['CUSTOMER_LINK_TAKEN', 'CUSTOMER_CODE_TAKEN', 'NOT_FOUND'];

type SaleInHand = { readonly tenantId: string; readonly saleId: string; readonly state: AcceptedSale };

/**
 * Finds the customer of a sale by the partner's own id (a link), code, tax number and e-mail address, in that order. If
 * there is no such customer, creates one. Lookups use the claims on these keys, which are always current. The choice is
 * recorded in the sale's stream before the customer is created, so a redelivery continues with the same customer.
 */
@Injectable()
export class CustomerMatching {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Claims) private readonly claims: Claims,
    @Inject(CustomerCreation) private readonly creation: CustomerCreation,
  ) {}

  /** Returns the id of the sale's customer. Creates or links the customer if necessary. */
  async customerOf(inHand: SaleInHand): Promise<string> {
    const { tenantId, state } = inHand;
    if (state.customerId !== null && (await this.exists(tenantId, state.customerId))) return state.customerId;
    if (state.customer === null) return this.defaultCustomer(tenantId);
    for (let round = 1; ; round += 1) {
      try {
        return (
          (await this.found(tenantId, state.sourceId, state.customer)) ??
          (await this.made(inHand, await this.withFreeCode(tenantId, state.customer)))
        );
      } catch (error) {
        // Retry the lookup, because a key was taken or its holder was deleted between the lookup and the append.
        const isOvertaken = error instanceof DomainError && OVERTAKEN.includes(error.code);
        if (!isOvertaken || round === MAX_ROUNDS) throw error;
      }
    }
  }

  /**
   * Omits the partner's code if an account already has it. The new customer then gets a code from the tenant's
   * sequence.
   */
  private async withFreeCode(tenantId: string, wanted: SaleCustomer): Promise<SaleCustomer> {
    if (wanted.code === null) return wanted;
    const { holderOf } = lookupIn(this.claims, 'settled');
    const taken = await holderOf(accountCodeClaim(tenantId, wanted.code), account.name);
    return taken === undefined ? wanted : { ...wanted, code: null };
  }

  private async made(inHand: SaleInHand, wanted: SaleCustomer): Promise<string> {
    const { tenantId, saleId, state } = inHand;
    // The id is derived from the sale, so a redelivery creates the same customer.
    const id = nameUuid('customer', saleId);
    const holder = await this.reserve(inHand, id, wanted);
    if (holder !== undefined) return this.linked(tenantId, holder, state.sourceId, wanted);
    await this.runner.execute(sale, { tenantId, id: saleId }, { customerId: id }, chooseCustomer);
    await this.creation.create({ tenantId, id }, inputOf(wanted), linksOf(state.sourceId, wanted));
    return id;
  }

  private async exists(tenantId: string, id: string): Promise<boolean> {
    return (await this.reader.read(customer, tenantId, id)).state.status !== 'absent';
  }

  private async defaultCustomer(tenantId: string, freshness?: Freshness): Promise<string> {
    const { state } = await this.reader.read(tenant, PLATFORM_TENANT, tenantId, freshness);
    return presentTenant(state).seeds.customerId;
  }

  /**
   * Returns the id of the sale's customer; undefined if the customer must first be created or linked. Writes nothing.
   */
  async knownCustomer(
    tenantId: string,
    { sourceId, customer: wanted }: Pick<AcceptedSale, 'sourceId' | 'customer'>,
    lookup: Lookup,
  ): Promise<string | undefined> {
    if (wanted === null) return this.defaultCustomer(tenantId, lookup.freshness);
    const match = await matchOf(tenantId, sourceId, wanted, lookup);
    return match && !match.isUnlinked ? match.id : undefined;
  }

  private async found(tenantId: string, sourceId: string, wanted: SaleCustomer): Promise<string | undefined> {
    const match = await matchOf(tenantId, sourceId, wanted, lookupIn(this.claims, 'settled'));
    return match?.isUnlinked ? this.linked(tenantId, match.id, sourceId, wanted) : match?.id;
  }

  /**
   * Claims all keys for a new customer. If another customer holds one of them, releases the claims and returns that
   * customer's id.
   */
  private async reserve(
    { tenantId, state }: SaleInHand,
    id: string,
    wanted: SaleCustomer,
  ): Promise<string | undefined> {
    const { revision } = await this.reader.read(customer, tenantId, id);
    const owner = { stream: streamName(customer.name, tenantId, id), revision };
    for (const claim of keysOf(tenantId, state.sourceId, wanted)) {
      const claimed = await this.claims.acquire(claim, owner, 'settled');
      if (claimed.outcome === 'claimed') continue;
      await this.claims.abandon(owner);
      const by = parseStreamName(claimed.by);
      // An account has claimed the code since the lookup.
      if (by?.entity !== customer.name) throw conflict('CUSTOMER_CODE_TAKEN', 'An account has this code.');
      return by.id;
    }
    return undefined;
  }

  /**
   * Links the partner's id to a customer that was found by another key, so that the next lookup is direct. If another
   * customer already holds the link, returns that customer's id.
   */
  private async linked(tenantId: string, id: string, sourceId: string, wanted: SaleCustomer): Promise<string> {
    for (const link of linksOf(sourceId, wanted)) {
      const { stream, revision } = await this.reader.read(customer, tenantId, id);
      const claimed = await this.claims.acquire(linkClaim(tenantId, link), { stream, revision }, 'settled');
      if (claimed.outcome === 'held') return parseStreamName(claimed.by)?.id ?? id;
      await this.runner.execute(customer, { tenantId, id }, link, linkCustomer);
    }
    return id;
  }
}

const linksOf = (sourceId: string, { externalId }: SaleCustomer) =>
  externalId === null ? [] : [{ sourceId, externalId }];

function keysOf(tenantId: string, sourceId: string, wanted: SaleCustomer): Claim[] {
  return [
    ...linksOf(sourceId, wanted).map((link) => linkClaim(tenantId, link)),
    ...(wanted.code === null ? [] : [customerCodeClaim(tenantId, wanted.code)]),
    ...taxNumberClaims(tenantId, wanted.taxNumber),
    ...emailClaims(tenantId, wanted.email),
  ];
}

/**
 * Returns the customer found by the first matching key. `isUnlinked`: the partner's own id is not linked to the
 * customer yet.
 */
async function matchOf(
  tenantId: string,
  sourceId: string,
  wanted: SaleCustomer,
  { holderOf }: Lookup,
): Promise<{ readonly id: string; readonly isUnlinked: boolean } | undefined> {
  for (const claim of keysOf(tenantId, sourceId, wanted)) {
    const id = await holderOf(claim, customer.name);
    if (id !== undefined) return { id, isUnlinked: claim.kind !== 'customer-link' && wanted.externalId !== null };
  }
  return undefined;
}

const inputOf = ({ name, code, email, phone, taxNumber }: SaleCustomer): CreateCustomer => ({
  name,
  email,
  phone,
  taxNumber,
  ...(code !== null && { code }),
});
