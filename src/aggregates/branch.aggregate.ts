import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { changesTo, Email, line, paragraph, Phone, someOf } from './fields.js';
import { input, optionalText, record, text, value } from './record.js';

/** The code is stored and returned in upper case. */
const BranchCode = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,20}$/, 'Must be 1 to 20 letters, digits or hyphens.')
  .toUpperCase();

const seen = { searched: true, published: true } as const;
export const branchRecord = record({
  code: text(BranchCode, { ...seen, fixed: true, description: 'Uppercase code. Cannot be changed.' }),
  name: text(line(120), seen),
  description: optionalText(paragraph(1000), { published: true }),
  address: optionalText(paragraph(500), { published: true }),
  phone: optionalText(Phone, seen),
  email: optionalText(Email, { published: true }),
  isActive: value(z.boolean().default(true), {
    apart: true,
    filter: 'query',
    published: true,
    description: 'Inactive branches cannot be used in new records.',
  }),
});
export const CreateBranch = input('CreateBranchDto', branchRecord.create);
export type CreateBranch = z.output<typeof CreateBranch>;
export const UpdateBranch = input('UpdateBranchDto', branchRecord.update);
export type UpdateBranch = z.output<typeof UpdateBranch>;

const Created = z.object(branchRecord.stored);
type Details = Omit<z.output<typeof Created>, 'isActive'>;

export const branchEvents = {
  BranchCreated: domain('CREATE', 'branch', Created),
  BranchUpdated: domain('UPDATE', 'branch', z.object({ changes: someOf(branchRecord.changes) })),
  BranchDeactivated: domain('UPDATE', 'branch', z.object({})),
  BranchReactivated: domain('UPDATE', 'branch', z.object({})),
};
export type BranchEvent = EventOf<typeof branchEvents>;

export type Branch = { status: 'absent' } | ({ status: 'active' | 'inactive' } & Details);

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

/** `code` must already be in upper case. */
export const branchCodeClaim = (tenantId: string, code: string): Claim => ({
  scope: tenantId,
  kind: 'branch-code',
  value: code,
  refusal: { code: 'BRANCH_CODE_TAKEN', message: 'Another branch has this code.' },
});

export function createBranch(state: Branch, data: CreateBranch): BranchEvent[] {
  if (state.status !== 'absent') return [];
  return [{ type: 'BranchCreated', data: { ...branchRecord.otherwise, ...data } }];
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
