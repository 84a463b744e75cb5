/** Recorded differences between versions of the real server. */
export type ServerVersion = {
  readonly number: string;
  /**
   * A filtered subscription to $all receives an additional checkpoint when it has caught up. Its position is that of
   * the last event or checkpoint sent, or (2^64-1, 2^64-1) if there was none.
   */
  readonly sendsCheckpointWhenLive: boolean;
  /**
   * A subscription whose live buffer overflows catches up from the log again. If false, it ends with ABORTED.
   */
  readonly fallsBehind: boolean;
  /**
   * A subscription to $all from an invalid position is first confirmed, and then rejected with INVALID_ARGUMENT instead
   * of UNKNOWN.
   */
  readonly knowsInvalidPositions: boolean;
};

/** Supported versions, by the argument of `--like`. */
export const SERVER_VERSIONS = {
  '23.10': {
    number: '23.10.6',
    sendsCheckpointWhenLive: false,
    fallsBehind: false,
    knowsInvalidPositions: false,
  },
  '24.10': {
    number: '24.10.4',
    sendsCheckpointWhenLive: true,
    fallsBehind: true,
    knowsInvalidPositions: true,
  },
} as const satisfies Readonly<Record<string, ServerVersion>>;

export type Like = keyof typeof SERVER_VERSIONS;
