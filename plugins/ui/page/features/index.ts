/** What the page shows of the engine and of features. Each adds itself where the server has its operations. */
import './engine.js';
