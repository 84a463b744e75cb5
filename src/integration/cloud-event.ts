/** CloudEvents 1.0 in its JSON format (https://github.com/cloudevents/spec), with the extensions that Kontor adds. */
export type CloudEvent = {
  readonly specversion: '1.0';
  /** The same for every publication of the same fact: what consumers dedupe by. */
  readonly id: string;
  readonly source: string;
  /** `kontor.<entity>.<event>.v<version>` */
  readonly type: string;
  /** The record's id. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly tenantid: string;
  /** Revision of the event in its record's stream: a gap shows that something was parked. */
  readonly sequence: string;
  readonly data: object;
  /** Published before: by an operator who replays it. */
  readonly replayed?: true;
};

/** One fact for partners, and where it goes. */
export type IntegrationEvent = {
  /** `kontor.<tenantId>.<entity>.<event>` */
  readonly subject: string;
  readonly event: CloudEvent;
};
