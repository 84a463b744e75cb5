import './page-policy';
import '@mantine/core/styles.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';

const place = document.querySelector('#root');
if (place === null) throw new Error('The page has no root element for the console.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
