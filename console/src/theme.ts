import { createTheme, Input, Modal, type CSSVariablesResolver } from '@mantine/core';

/** A calm and dense theme. Every text colour meets the contrast requirements of WCAG AA in both colour schemes. */
export const theme = createTheme({
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
    // Shows the hint below the input, so that inputs in a row stay aligned even if only some have a hint.
    InputWrapper: Input.Wrapper.extend({
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    }),
    // By default, a dialog has a header element, which would be a second banner of the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#51585f',
    '--mantine-color-placeholder': '#5c636a',
    '--mantine-color-error': '#b02525',
    '--mantine-color-anchor': '#14569a',
    '--mantine-color-body': '#ffffff',
    '--k-ground': '#f4f6f8',
    '--k-line': '#d9dee3',
    '--k-good': '#1d6b30',
    '--k-busy': '#14569a',
    '--k-warning': '#8a4b00',
    '--k-bad': '#b02525',
    '--k-idle': '#51585f',
    '--k-removed': '#fdecec',
    '--k-added': '#e9f7ec',
  },
  dark: {
    '--mantine-color-dimmed': '#b4b9bf',
    '--mantine-color-placeholder': '#a3a9b0',
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-anchor': '#8cc4ff',
    '--mantine-color-body': '#1b1d21',
    '--k-ground': '#131518',
    '--k-line': '#363a40',
    '--k-good': '#8ce99a',
    '--k-busy': '#8cc4ff',
    '--k-warning': '#ffc078',
    '--k-bad': '#ff9d9d',
    '--k-idle': '#b4b9bf',
    '--k-removed': '#3d2022',
    '--k-added': '#1c3323',
  },
});
