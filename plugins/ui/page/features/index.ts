/** What the page shows of the engine and of features. Each adds itself where the server has its operations. */
import './engine.js';
import './pulls/index.js';
import './actions/index.js';
import './protection/index.js';
import './retention/index.js';
import './admin/index.js';
import './shell/index.js';
