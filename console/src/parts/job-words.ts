import type { Job } from '../api/jobs';
import { byCode } from '../messages/catalogue';

/** Descriptions of the jobs. */
export const jobWords = ({ name, description }: Job): string => byCode('job', name, description);
