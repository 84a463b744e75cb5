import type { z } from 'zod';
import type { CloudEvent, Contract } from '../../src/integration/contracts-fields.js';
import { contracts, eventSchemaOf, subjectOf, typeOf } from '../../src/integration/contracts.js';

const checks: ReadonlyMap<string, { readonly contract: Contract; readonly schema: z.ZodType }> = new Map(
  contracts.map((contract) => [typeOf(contract), { contract, schema: eventSchemaOf(contract) }]),
);

/**
 * Thrown for an event that violates its contract and must therefore not be published. The message contains field names,
 * but no values.
 */
export class ContractViolated extends Error {
  readonly code = 'INVALID_EVENT';
  constructor(type: string, faults: readonly string[]) {
    super(`${type} is not as its contract says: ${faults.slice(0, 10).join('; ')}`);
    this.name = 'ContractViolated';
  }
}

/** @throws ContractViolated if the event violates its contract */
export function ensureContract({ subject, event }: { readonly subject: string; readonly event: CloudEvent }): void {
  const { type } = event;
  const check = checks.get(type);
  if (!check) throw new ContractViolated('An event of an unknown type', ['type']);
  const { success, error } = check.schema.safeParse(event);
  if (!success) throw new ContractViolated(type, error.issues.flatMap(faultsIn));
  if (subject !== subjectOf(check.contract, event.tenantid)) throw new ContractViolated(type, ['its subject']);
}

const faultsIn = (issue: z.core.$ZodIssue): string[] => {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${path}.${key} is not public`);
  return [`${path}: ${issue.code}`];
};
