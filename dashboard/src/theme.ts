import { createTheme, type MantineColorsTuple } from '@mantine/core';

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

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 7 },
  colors: { pine },
  defaultRadius: 'md',
  fontFamily: 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
});
