/** Overrides some methods of an engine. All other methods run on the engine itself. */
export function overriding<E extends P, P extends object>(engine: E, methods: Partial<P>): E {
  return new Proxy(engine, {
    get(target, key) {
      const own = methods[key as keyof P];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
    // Without this trap, an assignment would replace the engine's own method, which the override calls.
    set: (_, key, value) => Reflect.set(methods, key, value),
  });
}
