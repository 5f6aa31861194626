// Passes what one port of a page posts on to all the others, as upstream's does.
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
