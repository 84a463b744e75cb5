/** Injection token for a type that has no class of its own. */
export type Token<T> = symbol & { readonly __injects?: T };
export const token = <T>(name: string): Token<T> => Symbol(name);
