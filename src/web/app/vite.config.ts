import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The browser app. `npm run generate` builds it; the web role serves what is built. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2022',
    // Outside of the project's folder it would not be asked.
    emptyOutDir: true,
    // The content security policy knows no data: but for images; small files stay files.
    assetsInlineLimit: 0,
    // A browser that knows modules knows how to load them ahead.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
})
