// Forwards messages from each port of a page to all other ports, as the worker of Komodo DeFi Framework does.
const ports = new Set();

onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    for (const other of ports) {
      if (other !== port) {
        other.postMessage(data);
      }
    }
  };
};
