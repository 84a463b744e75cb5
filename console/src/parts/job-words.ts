import type { Job } from '../api/jobs';
import { byCode } from '../messages/catalogue';

/** What a job does. */
export const jobWords = ({ name, description }: Job): string => byCode('job', name, description);
