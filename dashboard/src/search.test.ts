import { describe, expect, it } from 'vitest';
import { pick, placeOf, search } from './search';

describe('the place to go on to', () => {
  it.each([
    [undefined, '/', {}],
    ['/inbox?q=1&open=sub_1', '/inbox', { q: '1', open: 'sub_1' }],
    ['//evil.example/inbox', '/inbox', {}],
    ['https://evil.example/x', '/x', {}],
    ['javascript:alert(1)', '/', {}],
  ])('is one of the dashboard: %s', (to, pathname, parameters) => {
    expect(placeOf(to)).toEqual({ to: pathname, search: parameters });
  });
});

describe('the parameters of an address', () => {
  it.each(['123', 'true', '"x"', '{"a":1}', 'a b&c=d', 'é+1', '%'])('come back as the text that they were: %s', (q) => {
    expect(search.parse(search.write({ q }).slice(1))).toEqual({ q });
  });

  it('hold nothing that says nothing', () => {
    expect(search.write({ q: '', status: undefined })).toBe('');
  });

  it('are those that the screen knows', () => {
    expect(pick('q', 'tag')({ q: 'x', tag: '', other: 'y' })).toEqual({ q: 'x' });
  });
});
