/** CloudEvents 1.0 in JSON (https://github.com/cloudevents/spec), with Kontor's extension attributes. */
export type CloudEvent = {
  readonly specversion: '1.0';
  /** Identical for every publication of the same fact. Consumers deduplicate by it. */
  readonly id: string;
  readonly source: string;
  /** `kontor.<entity>.<event>.v<version>` */
  readonly type: string;
  /** The record's id. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly tenantid: string;
  /** Revision of the event in its stream. May have gaps: not every event is public, and events may be parked. */
  readonly sequence: string;
  readonly data: object;
  /** Set if the event may have been published before: a replay, a rewind or a late retry. */
  readonly replayed?: true;
};

/** One fact for partners, with the subject that it is published to. */
export type IntegrationEvent = {
  /** `kontor.<tenantId>.<entity>.<event>` */
  readonly subject: string;
  readonly event: CloudEvent;
};
