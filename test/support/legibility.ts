// Rules about text on a console page, as code that a browser evaluates. Each returns a list of faults.

/**
 * Values that users must be able to read in full, but cannot: amounts, names, statuses and buttons that their own box
 * or a surrounding element cuts off. Codes behind long names may be cut off.
 */
export const CUT = `[...document.querySelectorAll('main td.k-numeric > .k-cell, main .k-money, main .k-whole:not(.k-nothing > *), main .k-status, main .mantine-Button-label')]
  .filter((element) => element.checkVisibility() && element.closest('.k-across') === null)
  .filter((element) => {
    const own = element.getBoundingClientRect();
    if (getComputedStyle(element).clipPath !== 'none') return false;
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') return true;
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const { left, right } = around.getBoundingClientRect();
      if (getComputedStyle(around).overflowX !== 'visible' && (own.left < left - 1 || own.right > right + 1)) return true;
    }
    return false;
  })
  .map((element) => '"' + element.textContent + '" is cut off')`;
/**
 * Labels with a word that continues on the next line, and reasons that their cell hides. A word may only break at a
 * hyphen.
 */
export const BROKEN = `[
  ...[...document.querySelectorAll('main .k-table :is(th, tfoot td), main dt, main .k-status, main .mantine-Button-label')]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      for (let around = element; around !== null; around = around.parentElement)
        if (getComputedStyle(around).clipPath !== 'none') return false;
      return true;
    })
    .flatMap((element) => {
      const words = [];
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        for (const { 0: word, index } of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
          const range = document.createRange();
          range.setStart(walker.currentNode, index);
          range.setEnd(walker.currentNode, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
        }
      return words;
    })
    .map((word) => 'the word "' + word + '" is broken'),
  ...[...document.querySelectorAll('main .k-cause')]
    .filter((cause) => cause.getBoundingClientRect().bottom > cause.closest('td').getBoundingClientRect().bottom + 1)
    .map((cause) => '"' + cause.textContent + '" is hidden'),
]`;
/** Actions on rows that are hidden without a button that shows them. */
export const LOST_ACTIONS = `[...document.querySelectorAll('.k-table .k-row-actions')]
  .filter((actions) => actions.childElementCount > 0 && !actions.checkVisibility())
  .filter((actions) => !actions.parentElement.querySelector(':scope > .k-more-actions')?.checkVisibility())
  .filter((actions) => actions.closest('td').checkVisibility())
  .map((actions) => 'nothing shows the actions "' + actions.textContent + '"')`;
/** Buttons for more filters that show nothing more. */
export const IDLE_FILTERS = `[...document.querySelectorAll('.k-filters > .k-more-filters')]
  .filter((button) => button.checkVisibility())
  .filter((button) => [...button.parentElement.querySelectorAll(':scope > :not([type=hidden])')].every((each) => each.checkVisibility()))
  .map(() => 'the button for filters shows no more filters')`;
