import { Button, CopyButton } from '@mantine/core';

type Props = {
  /** What is copied, character by character as it is shown. */
  text: string;
  /** Names the text for people who hear the button without seeing what stands beside it. */
  name: string;
  /** Keeps its lines as they are, and scrolls where they are too long. */
  code?: boolean;
};

/** Text to run or keep elsewhere, with a button that copies it. */
export function CopyText({ text, name, code = false }: Props) {
  return (
    <div className="copy">
      <pre className={code ? 'copy-text copy-code' : 'copy-text'} tabIndex={0} role="region" aria-label={name}>
        <code>
          {code
            ? text
            : text.split(/(\s+)/).map((part, i) =>
                i % 2 ? (
                  part
                ) : (
                  <span key={i} className="copy-word">
                    {part}
                  </span>
                ),
              )}
        </code>
      </pre>
      <CopyButton value={text} timeout={2000}>
        {({ copied, copy }) => (
          <Button
            className="copy-button"
            size="compact-sm"
            variant="default"
            onClick={copy}
            aria-label={copied ? `Copied: ${name}` : `Copy: ${name}`}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
