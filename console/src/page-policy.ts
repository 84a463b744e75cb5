// Makes the console comply with the service's Content-Security-Policy. Must run before any other code on the page.

type PolicedWindow = {
  readonly trustedTypes?: { createPolicy(name: string, rules: object): unknown };
  __webpack_nonce__?: string;
};
const policed = window as PolicedWindow;

/** Returns the nonce without which the browser blocks style elements. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// The `get-nonce` package reads this variable for the library that prevents the page from scrolling behind a dialog.
policed.__webpack_nonce__ = styleNonce();

const withoutTags = (text: string): string => {
  if (text.includes('<')) throw new TypeError('Creating markup from text is not allowed on this page.');
  return text;
};

// The page never interprets text as markup (require-trusted-types-for). The only exception is Mantine, which writes its
// variables into style elements as text. Text without tags is therefore permitted.
policed.trustedTypes?.createPolicy('default', { createHTML: withoutTags });
