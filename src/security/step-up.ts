import { DomainError } from '../eventsourcing/domain-error.js';
import type { Proof } from './principal.js';

/** Maximum age of the last sign-in or step-up for a dangerous operation. */
export const STEP_UP_MS = 10 * 60_000;

/** Whether the last sign-in or step-up was recent. */
export const isRecent = ({ verifiedAtMs }: Proof, nowMs: number): boolean => nowMs - verifiedAtMs <= STEP_UP_MS;

export const stepUpRequired = (): DomainError =>
  new DomainError(
    'forbidden',
    'STEP_UP_REQUIRED',
    'Confirm your identity with POST /api/auth/step-up, or sign in again. Then repeat the request within 10 minutes.',
  );

export const factorRequired = (): DomainError =>
  new DomainError(
    'forbidden',
    'FACTOR_REQUIRED',
    'Your account must have a second factor. Add one with POST /api/auth/factors, or step up with one that you already have.',
  );
