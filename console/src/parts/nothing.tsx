/** Shown instead of a missing value. On narrow screens, a cell that contains nothing else is hidden. */
export const NOTHING = <span className="k-nothing">—</span>;
