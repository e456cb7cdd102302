import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const pine: MantineColorsTuple = [
  '#e6f6ef',
  '#d2eadf',
  '#a6d5c0',
  '#77be9f',
  '#52cda3',
  '#35a17a',
  '#22946c',
  '#128059',
  '#0b6b4d',
  '#00573c',
];

const brick: MantineColorsTuple = [
  '#fdeceb',
  '#fbe4e1',
  '#f4beb9',
  '#ec958e',
  '#f59a91',
  '#cf4a40',
  '#bf382e',
  '#b42c22',
  '#a82319',
  '#8a1a12',
];

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  colors: { pine, brick },
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
});

// Mantine's own tones for small letters are too pale on our grounds; the colours of styles.css are not.
const tones = {
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-placeholder': 'var(--muted)',
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: tones, dark: tones });
