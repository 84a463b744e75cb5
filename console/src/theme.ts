import {
  createTheme,
  DEFAULT_THEME,
  Input,
  Modal,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** Returns a color whose two darkest shades have sufficient contrast with white and with the page background. */
function darkened(color: 'blue' | 'red', ...darkest: readonly [string, string]): MantineColorsTuple {
  const [a, b, c, d, e, f, g, h] = DEFAULT_THEME.colors[color];
  return [a, b, c, d, e, f, g, h, ...darkest];
}

/** A calm and dense theme. Every text color meets the WCAG AAA contrast requirements in both color schemes. */
export const theme = createTheme({
  colors: { blue: darkened('blue', '#14569a', '#104d8c'), red: darkened('red', '#a32020', '#971d1d') },
  primaryColor: 'blue',
  primaryShade: { light: 9, dark: 8 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The hint appears below the input, so that the inputs in a row stay aligned even if only some have hints.
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    }),
    // By default, a dialog has a `header` element, which would be a second banner landmark on the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#474e55',
    '--mantine-color-placeholder': '#4a5158',
    '--mantine-color-error': '#971d1d',
    '--mantine-color-anchor': '#104d8c',
    '--mantine-color-body': '#ffffff',
    '--k-ground': '#f4f6f8',
    '--k-field': '#ffffff',
    '--k-line': '#d9dee3',
    '--k-good': '#17592a',
    '--k-busy': '#104d8c',
    '--k-warning': '#743f00',
    '--k-bad': '#971d1d',
    '--k-idle': '#474e55',
    '--k-removed': '#fdecec',
    '--k-added': '#e9f7ec',
  },
  dark: {
    '--mantine-color-dimmed': '#bdc2c8',
    '--mantine-color-placeholder': '#a9aeb4',
    '--mantine-color-text': '#f1f3f5',
    '--mantine-color-error': '#ffa8a8',
    '--mantine-color-anchor': '#8cc4ff',
    '--mantine-color-body': '#1b1d21',
    '--k-ground': '#131518',
    '--k-field': '#131518',
    '--k-line': '#363a40',
    '--k-good': '#8ce99a',
    '--k-busy': '#8cc4ff',
    '--k-warning': '#ffc078',
    '--k-bad': '#ffa8a8',
    '--k-idle': '#bdc2c8',
    '--k-removed': '#3d2022',
    '--k-added': '#1c3323',
  },
});
