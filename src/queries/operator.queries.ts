import { listFrom, listsFrom } from './query.js';
import { operators } from '../projections/operator.projection.js';

export class ListOperators extends listFrom(operators) {}

export const operatorQueryHandlers = [listsFrom(ListOperators)];
