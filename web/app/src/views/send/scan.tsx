import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { codeScanned } from "./scanned.ts";

/** The browser's barcode detector: https://wicg.github.io/shape-detection-api/. */
interface Detector {
  detect: (picture: HTMLVideoElement) => Promise<{ rawValue: string }[]>;
}

const BETWEEN = 200; // ms between two attempts

/** Scans a QR code with the camera. */
export default function Scan() {
  const video = useRef<HTMLVideoElement>(null);
  const failed = useSignal(false);
  const close = () => (codeScanned.value = null);
  useEffect(() => {
    let over = false;
    let stream: MediaStream | null = null;
    const look = async () => {
      const { BarcodeDetector } = globalThis as unknown as { BarcodeDetector: new (options: object) => Detector };
      const detector = new BarcodeDetector({ formats: ["qr_code"] });
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      const element = video.current;
      if (over || !element) {
        return stream.getTracks().forEach((track) => track.stop());
      }
      element.srcObject = stream;
      await element.play();
      while (!over) {
        const [code] = await detector.detect(element);
        if (code && !over) {
          codeScanned.peek()?.(code.rawValue);
          close();
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, BETWEEN));
      }
    };
    look().catch(() => over || (failed.value = true));
    return () => {
      over = true;
      stream?.getTracks().forEach((track) => track.stop());
    };
  }, []);
  return (
    <Dialog title={t("send.scan")} onClose={close}>
      {failed.value ? <p role="alert">{t("send.nocamera")}</p> : <video ref={video} class="camera" muted playsInline aria-label={t("send.camera")} />}
      <div class="actions">
        <button type="button" class="secondary" onClick={close}>
          {t("cancel")}
        </button>
      </div>
    </Dialog>
  );
}
