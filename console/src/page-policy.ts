// Satisfies the service's Content-Security-Policy. Must run before any other code of the page.

type PolicedWindow = {
  readonly trustedTypes?: { createPolicy(name: string, rules: object): unknown };
  __webpack_nonce__?: string;
};
const policed = window as PolicedWindow;

/** Nonce without which style elements are blocked. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// Read by get-nonce, for the library that prevents a page from scrolling under a dialog.
policed.__webpack_nonce__ = styleNonce();

const withoutTags = (text: string): string => {
  if (text.includes('<')) throw new TypeError('Markup from text is not allowed here.');
  return text;
};

// No text becomes markup (require-trusted-types-for). The one exception is Mantine, which writes its variables as the
// text of style elements: text without a tag is allowed.
policed.trustedTypes?.createPolicy('default', { createHTML: withoutTags });
