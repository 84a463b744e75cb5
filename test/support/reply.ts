type Fault = { readonly path: string };
type Problem = { readonly code: string; readonly message: string; readonly errors?: readonly Fault[] };

/** A response from the service. */
export class Reply {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | undefined>>,
    readonly text: string,
  ) {}

  get body(): unknown {
    return JSON.parse(this.text) as unknown;
  }

  /** The `data` member of the response body. */
  get data(): unknown {
    return (this.body as { data: unknown }).data;
  }

  /** Id of the record that the command affected. */
  get id(): string {
    const { data } = this.body as { data?: { id?: string } };
    if (data?.id === undefined) throw new Error(`The answer has no id: ${this.status} ${this.text}`);
    return data.id;
  }

  /** The error in one line: status, code, and invalid paths. If the request succeeded, only the status. */
  get told(): string {
    if (this.status < 400) return String(this.status);
    const { code, errors = [] } = this.problem;
    return [this.status, code, ...new Set(errors.map(({ path }) => path))].join(' ');
  }

  /** The error body. Supports the partner intake's format and the format of all other routes. */
  get problem(): Problem {
    const body = this.body as Problem | { readonly error: Problem };
    return 'error' in body ? body.error : body;
  }
}
