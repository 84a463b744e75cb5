// Records a history as this version of the service stores it: see corpus.ts. A recording is never made anew.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { booksOf, CORPUS, eventsOf } from './corpus.js';
import { writeHistory } from './history.js';
import { TestService } from './service.js';

const number = Number(process.argv[2]);
const path = join(CORPUS, `history-${number}.jsonl`);
if (!Number.isSafeInteger(number) || number < 1) throw new Error('Say the number of the recording.');
if (existsSync(path)) throw new Error(`${path} is there already, and stays as it is.`);

const service = await TestService.start();
const books = await service.openBooks({ timeZone: 'Europe/Istanbul' });
await writeHistory(service, books, { seed: number, sales: 24 });
const { email, token } = books.tenant;
const lines = [{ email, books: await booksOf(service, token) }, ...(await eventsOf(service.service.engines.events))];
mkdirSync(CORPUS, { recursive: true });
writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
await service.close();
