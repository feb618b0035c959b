import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { applyTheme, readTheme, type Theme } from './theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** Goes round through the themes. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  const Icon = ICONS[theme];
  const change = () => {
    applyTheme(NEXT[theme]);
    setTheme(NEXT[theme]);
  };
  return (
    <IconButton label={`Theme: ${theme}`} onClick={change}>
      <Icon aria-hidden size={16} />
    </IconButton>
  );
}
