import type { Job } from '../api/jobs';
import { byCode } from '../messages/catalogue';

/** Returns a job's description in the viewer's language. */
export const jobWords = ({ name, description }: Job): string => byCode('job', name, description);
