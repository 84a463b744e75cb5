/** Injection token for a type without a class. */
export type Token<T> = symbol & { readonly __injects?: T };
export const token = <T>(name: string): Token<T> => Symbol(name);
