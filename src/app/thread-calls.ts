type Call = { readonly name: string; readonly given: readonly unknown[]; readonly call: number | null };
type Answer = { readonly answers: number; readonly fault: string | null; readonly result: unknown };
/** A message between two threads. */
export type ThreadMessage = Call | Answer;

/** Calls methods of another thread, and runs the methods that the other thread calls in this one. */
export class ThreadCalls<Told extends object, Asked extends object> {
  /** Methods of the other thread that return no result. A call is lost if that thread is not listening. */
  readonly told: Told;
  /**
   * Methods of the other thread that return a result. A call rejects if the method fails, or if that thread ends or is
   * absent.
   */
  readonly asked: Asked;
  private readonly open = new Map<number, (answer: Answer) => void>();
  private lastCall = 0;

  constructor(
    /** Sends a message. Returns false if the other thread is absent. */
    private readonly post: (message: ThreadMessage) => boolean,
    private readonly methods: Readonly<Record<string, (...given: never[]) => unknown>>,
  ) {
    this.told = methodsOf((name, given) => {
      post({ name, given, call: null });
    }) as Told;
    this.asked = methodsOf((name, given) => this.ask(name, given)) as Asked;
  }

  receive(message: ThreadMessage): void {
    if ('answers' in message) this.settle(message);
    else if (message.call === null) this.methods[message.name]?.(...(message.given as never[]));
    else void this.answer(message, message.call);
  }

  /** Rejects open calls because the other thread has ended. */
  end(): void {
    for (const call of [...this.open.keys()]) this.settle({ answers: call, fault: 'the thread ended', result: null });
  }

  private ask(name: string, given: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = (this.lastCall += 1);
      this.open.set(call, ({ fault, result }) => {
        if (fault === null) resolve(result);
        else reject(new Error(fault));
      });
      if (!this.post({ name, given, call }))
        this.settle({ answers: call, fault: 'the other thread is unavailable', result: null });
    });
  }

  private async answer({ name, given }: Call, call: number): Promise<void> {
    try {
      this.post({ answers: call, fault: null, result: await this.methods[name]?.(...(given as never[])) });
    } catch (error) {
      this.post({ answers: call, fault: String(error), result: null });
    }
  }

  private settle(answer: Answer): void {
    const settle = this.open.get(answer.answers);
    this.open.delete(answer.answers);
    settle?.(answer);
  }
}

const methodsOf = (call: (name: string, given: readonly unknown[]) => unknown): object =>
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...given: unknown[]) =>
          call(String(name), given),
    },
  );
