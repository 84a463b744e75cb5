import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { changesTo, Email, line, paragraph, Phone, someOf } from './fields.js';

/** Shown and stored in upper case. */
const BranchCode = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,20}$/, 'Must be 1 to 20 letters, digits or hyphens.')
  .toUpperCase();

const contact = {
  description: paragraph(1000).nullable(),
  address: paragraph(500).nullable(),
  phone: Phone.nullable(),
  email: Email.nullable(),
};
export const CreateBranch = z
  .strictObject({ code: BranchCode, name: line(120), ...someOf(contact).shape, isActive: z.boolean().default(true) })
  .meta({ id: 'CreateBranchDto' });
export type CreateBranch = z.output<typeof CreateBranch>;

export const UpdateBranch = z
  .strictObject(someOf({ name: line(120), ...contact, isActive: z.boolean() }).shape)
  .meta({ id: 'UpdateBranchDto' });
export type UpdateBranch = z.output<typeof UpdateBranch>;

const Details = z.object({
  name: z.string(),
  description: z.string().nullable(),
  address: z.string().nullable(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
});
type Details = z.output<typeof Details>;

export const branchEvents = {
  BranchCreated: domain('CREATE', 'branch', z.object({ code: z.string(), ...Details.shape, isActive: z.boolean() })),
  BranchUpdated: domain('UPDATE', 'branch', z.object({ changes: someOf(Details.shape) })),
  BranchDeactivated: domain('UPDATE', 'branch', z.object({})),
  BranchReactivated: domain('UPDATE', 'branch', z.object({})),
};
export type BranchEvent = EventOf<typeof branchEvents>;

export type Branch = { status: 'absent' } | ({ status: 'active' | 'inactive'; code: string } & Details);

export const branch: Aggregate<Branch, BranchEvent> = {
  name: 'branch',
  events: branchEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'BranchCreated') {
      const { isActive, ...rest } = event.data;
      return { status: isActive ? 'active' : 'inactive', ...rest };
    }
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'BranchUpdated':
        return { ...state, ...event.data.changes };
      case 'BranchDeactivated':
        return { ...state, status: 'inactive' };
      case 'BranchReactivated':
        return { ...state, status: 'active' };
    }
  },
  claims: (state, tenantId) => (state.status === 'absent' ? [] : [branchCodeClaim(tenantId, state.code)]),
};

/** Of a code in upper case. */
export const branchCodeClaim = (tenantId: string, code: string): Claim => ({
  scope: tenantId,
  kind: 'branch-code',
  value: code,
  refusal: { code: 'BRANCH_CODE_TAKEN', message: 'Another branch has this code.' },
});

export function createBranch(state: Branch, input: CreateBranch): BranchEvent[] {
  if (state.status !== 'absent') return [];
  const nothing = { description: null, address: null, phone: null, email: null };
  return [{ type: 'BranchCreated', data: { ...nothing, ...input } }];
}

export function updateBranch(state: Branch, { isActive, ...patch }: UpdateBranch): BranchEvent[] {
  if (state.status === 'absent') throw notFound('branch');
  const events: BranchEvent[] = [];
  const changes = changesTo<Details>(state, patch);
  if (changes) events.push({ type: 'BranchUpdated', data: { changes } });
  if (isActive === false && state.status === 'active') events.push({ type: 'BranchDeactivated', data: {} });
  if (isActive === true && state.status === 'inactive') events.push({ type: 'BranchReactivated', data: {} });
  return events;
}
