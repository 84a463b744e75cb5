import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import * as aggregates from './aggregates.js';

export const catalogue = new EventCatalogue(Object.values(aggregates));
