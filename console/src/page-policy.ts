// What the service's Content-Security-Policy asks of the page, before anything else of it runs.

type PolicedWindow = {
  readonly trustedTypes?: { createPolicy(name: string, rules: object): unknown };
  __webpack_nonce__?: string;
};
const policed = window as PolicedWindow;

/** Style elements are let through by this alone. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// Where the library that keeps a page from scrolling under a dialog looks for it (get-nonce).
policed.__webpack_nonce__ = styleNonce();

const withoutTags = (text: string): string => {
  if (text.includes('<')) throw new TypeError('Markup from text is not allowed here.');
  return text;
};

// No text becomes markup (require-trusted-types-for). Mantine writes its variables as the text of style elements: that is
// the one thing let through, as text without a tag in it.
policed.trustedTypes?.createPolicy('default', { createHTML: withoutTags });
