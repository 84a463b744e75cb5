import type { Endpoint } from './endpoint.js';

const fits = (declared: string, parts: readonly string[]): boolean => {
  const wanted = declared.split('/');
  return wanted.length === parts.length && wanted.every((want, index) => want === parts[index] || want.startsWith(':'));
};
const methodsOf = (endpoints: readonly Endpoint[]): string[] => [...new Set(endpoints.map(({ method }) => method))];

/** The methods that an address has, for whoever asks with another one (RFC 9110, 15.5.6); none where there is no such address. */
export function methodsAt(path: string, endpoints: readonly Endpoint[]): string[] {
  const parts = path.split('/');
  if (parts.includes('', 1)) return [];
  // An address without parameters is nobody else's: `lookup` is no record's id.
  const own = endpoints.filter((endpoint) => endpoint.path === path);
  return methodsOf(own.length > 0 ? own : endpoints.filter((endpoint) => fits(endpoint.path, parts))).sort();
}
