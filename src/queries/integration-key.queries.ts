import { getFrom, getsFrom } from '../platform/query.js';
import { integrationKeyDirectory } from '../projections/integration-key.projection.js';

/** Which tenant a key belongs to. */
export class FindIntegrationKey extends getFrom(integrationKeyDirectory) {}

export const integrationKeyQueryHandlers = [getsFrom(FindIntegrationKey)];
