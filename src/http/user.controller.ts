import { z } from 'zod';
import { userRecord } from '../aggregates/user.aggregate.js';
import { RemoveUserFactors } from '../commands/factor-removal.commands.js';
import {
  CreateUser,
  DeleteUser,
  InviteUser,
  ResetPassword,
  UpdateProfile,
  UpdateUser,
} from '../commands/user.commands.js';
import { EachUser, GetUser, ListUsers, LookUpUsers } from '../queries/user.queries.js';
import { requiredPaging, searchInput } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, routesAt, tenantRoutes, valueOf } from './routes.js';
import { instantOut, named } from './shapes.js';

const UserDto = recordDto('UserDto', userRecord, { lastLoginAt: instantOut.nullable() });

const InvitationDto = named(
  'InvitationDto',
  z.object({
    code: z.string().meta({ description: 'Returned only once.' }),
    expiresAt: instantOut,
  }),
);

const listQuery = listQueryOf(userRecord, {
  ...requiredPaging,
  sort: z.enum(['name', 'newest']).default('newest'),
});
const lookupQuery = z.strictObject({ search: searchInput });

const { read, write } = tenantRoutes('/api/users', 'Users', 'users');
const own = routesAt('/api/users/me', { who: 'any', tag: 'Users' });

export const UserController = controllerOf(
  write.change(
    'Create a user',
    { description: 'Callers can grant only permissions that they have.', creates: { passwordsIn: ['password'] } },
    CreateUser,
  ),
  read.listWithCsv('List users', listQuery, UserDto, [ListUsers, EachUser]),
  read.lookUp('Look up active users', lookupQuery, LookUpUsers),
  read.get('Get a user', UserDto, GetUser),
  own.command(
    "Update the caller's profile",
    {
      method: 'PATCH',
      path: '/profile',
      description: 'Operators can change only their name.',
      body: UpdateProfile.schema,
    },
    ({ tenantId, caller, body }) => new UpdateProfile({ tenantId, id: caller.userId }, body),
  ),
  write.change(
    'Update a user',
    { method: 'PATCH', path: '/:id', description: 'Callers can grant only permissions that they have.' },
    UpdateUser,
  ),
  write.command(
    'Remove a user',
    { method: 'DELETE', path: '/:id', description: "The user's history is kept." },
    ({ target, caller }) => new DeleteUser(target, caller),
  ),
  write.change(
    "Reset a user's password and end all of the user's sessions",
    {
      path: '/:id/password',
      description:
        'To reset your own password, you need a sign-in or step-up within the last 10 minutes (403 STEP_UP_REQUIRED).',
    },
    ResetPassword,
  ),
  write.change(
    "Remove all second factors from a user and end the user's sessions",
    {
      path: '/:id/remove-factors',
      description:
        'Use this for a user who has lost all factors and recovery codes. The user then signs in with only the ' +
        'password. To remove your own factors, use DELETE /api/auth/factors/{id}.',
      stepUp: true,
    },
    RemoveUserFactors,
  ),
  write.command(
    'Create a one-time code for binding an OpenID identity to a user',
    {
      path: '/:id/invitation',
      description:
        'The code is valid for 7 days and replaces any earlier code. It also expires when the password, e-mail address ' +
        "or roles of the user are changed, when all of the user's second factors are removed, and when the user is " +
        'suspended. Pass it to POST /api/auth/oidc/bind.',
      stepUp: true,
      answers: { ...valueOf(InvitationDto), status: 201, position: 'awaited' },
    },
    ({ target, caller }) => new InviteUser(target, caller),
    ({ invitation }) => invitation,
  ),
);
